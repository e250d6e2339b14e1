// Logs each line of a log with pino, which sends it to Loki. node pino-loki.js URL LOG
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import pino from 'pino';
import { pinoLoki } from 'pino-loki';

const [, , host, log] = process.argv;
const stream = pinoLoki({ host, labels: { app: 'webmail' }, batching: { interval: 0.05 }, logFormat: ({ msg }) => msg });
const logger = pino(stream);
for await (const line of createInterface({ input: createReadStream(log) })) logger.info(line);
stream.end();
