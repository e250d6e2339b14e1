// Emits each line of a log as a log record, which is exported as Protobuf over HTTP, the default. node opentelemetry-proto.js URL LOG
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';

const [, , url, log] = process.argv;
const exporter = new OTLPLogExporter({ url: new URL('/v1/logs', url).href });
const processor = new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 100, maxQueueSize: 100_000 });
const provider = new LoggerProvider({ processors: [processor] });
const logger = provider.getLogger('webmail');
for await (const body of createInterface({ input: createReadStream(log) }))
  logger.emit({ body, attributes: { webmail: { length: body.length, isLong: body.length > 200 } } });
await provider.shutdown();
