# The command in an image: the bundle that `npm run build` makes, on a base that has Node. Build the bundle first:
#   npm ci && npm run build && docker build --tag webmail-diaglog .
ARG BASE=docker.io/library/node:22-slim
FROM ${BASE}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="webmail-diaglog" \
      org.opencontainers.image.description="Writes the diagnostic log of a webmail, breaks it on purpose, and watches pipelines deliver it" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="MIT"
COPY bin/webmail-diaglog.js /opt/webmail-diaglog/bin/webmail-diaglog
COPY dist/cli /opt/webmail-diaglog/dist/cli
# The metrics of the canary, which are not in the bundle.
COPY node_modules/prom-client /opt/webmail-diaglog/node_modules/prom-client
COPY node_modules/tdigest /opt/webmail-diaglog/node_modules/tdigest
COPY node_modules/bintrees /opt/webmail-diaglog/node_modules/bintrees
COPY node_modules/@opentelemetry/api /opt/webmail-diaglog/node_modules/@opentelemetry/api
COPY LICENSE /opt/webmail-diaglog/LICENSE
ENV PATH="/opt/webmail-diaglog/bin:${PATH}"
WORKDIR /logs
# Not root, and by number: Kubernetes compares it with runAsNonRoot.
USER 1000:1000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/webmail-diaglog/bin/webmail-diaglog"]
CMD ["--help"]
