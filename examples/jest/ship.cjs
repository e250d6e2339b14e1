const { createInterface } = require('node:readline');

/**
 * The pipeline under test: puts each line of a log into the field `message` of an object of JSON.
 *
 * @param {NodeJS.ReadableStream} log
 */
async function* ship(log) {
  for await (const message of createInterface({ input: log, crlfDelay: Infinity })) {
    yield Buffer.from(`${JSON.stringify({ message })}\n`);
  }
}

module.exports = { ship };
