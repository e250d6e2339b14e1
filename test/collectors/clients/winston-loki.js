// Logs each line of a log with winston, whose transport sends Protobuf with Snappy to Loki, its default. node winston-loki.js URL LOG
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import winston from 'winston';
import LokiTransport from 'winston-loki';

const [, , host, log] = process.argv;
const transport = new LokiTransport({
  host,
  labels: { app: 'webmail' },
  interval: 0.1,
  format: winston.format.printf(({ message }) => message),
  onConnectionError: (error) => {
    console.error(error);
    process.exitCode = 1;
  },
});
const logger = winston.createLogger({ transports: [transport] });
for await (const line of createInterface({ input: createReadStream(log) })) logger.info(line);
await transport.flush();
transport.close();
