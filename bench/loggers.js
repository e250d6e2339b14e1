/** Writes N groups with a logging library, a group a call: `node bench/loggers.js sonic-boom|pino ROWS > log`. */
import { createDeployment, formatGroup } from '../dist/index.js';

const [library, rows] = process.argv.slice(2);
const group = formatGroup({ millisecond: 1_746_057_600_000, method: 'GET', target: '/mail/' }, createDeployment());

// The same size of writes as this tool's.
const BUFFER = { minLength: 60_000, maxWrite: 65_536 };

if (library === 'sonic-boom') {
  const { default: SonicBoom } = await import('sonic-boom');
  const stream = new SonicBoom({ fd: 1, ...BUFFER, sync: true });
  for (let row = 0; row < Number(rows); row += 1) stream.write(group);
  stream.flushSync();
} else {
  const { default: pino } = await import('pino');
  const logger = pino({}, pino.destination({ fd: 1, ...BUFFER, sync: true }));
  for (let row = 0; row < Number(rows); row += 1) logger.info(group);
  logger.flush();
}
