const LF = 0x0a;

/**
 * The pipeline under test, which works like a collector: cuts a log into lines, wherever its chunks end, and puts each line into the
 * field `message` of a JSON object. Only LF ends a line, so a CR before the LF arrives too.
 *
 * @param {AsyncIterable<Uint8Array>} log
 */
export async function* ship(log) {
  let unfinished = Buffer.alloc(0);
  for await (const chunk of log) {
    const bytes = Buffer.concat([unfinished, chunk]);
    const end = bytes.lastIndexOf(LF) + 1;
    for (const message of bytes.toString('utf8', 0, end).split('\n').slice(0, -1)) yield toJson(message);
    unfinished = bytes.subarray(end);
  }
  if (unfinished.length > 0) yield toJson(unfinished.toString());
}

function toJson(message) {
  return Buffer.from(`${JSON.stringify({ message })}\n`);
}
