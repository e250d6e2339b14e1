/** Measures how fast a log is read, by processor time: whole groups, interleaved groups, and structured records beside other programs. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeInterleaved } from './interleaved.js';
import { median } from './median.js';

const RECORDS_PY = fileURLToPath(new URL('records.py', import.meta.url));

/** Records are measured on a part of the log: they are twice as large as the log. */
const RECORDS_SHARE = 4;

const GROUP_RECORDS = 8;

/**
 * Builds the inputs in a folder, and measures.
 *
 * @param options the command, the number of rows, the number of rounds, and the functions of bench.js that run and time shell commands
 * @returns the lines of the tables
 */
export async function measureReading(folder, { command, rows, rounds, run, time, has }) {
  run(`${command} synth --count ${rows} --as requests > reading.csv && ${command} replay reading.csv > reading.log`);
  run(
    `head -n ${(rows / RECORDS_SHARE) * GROUP_RECORDS} reading.log > part.log && ${command} parse --as records part.log > part.ndjson`,
  );
  const interleaved = await writeInterleaved(join(folder, 'interleaved.log'), rows);
  const megabytesOf = (name) => statSync(join(folder, name)).size / 1e6;

  /** The medians of each command over the rounds; a ratio is that of the processor times in one round. */
  const medians = (commands) => {
    const runs = commands.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, shell] of commands.entries()) {
        const { seconds, user, system } = time(`${shell} > /dev/null 2> /dev/null`);
        runs[index].push({ seconds, spent: user + system });
      }
    }
    return runs.map((some) => ({
      seconds: median(some.map(({ seconds }) => seconds)),
      spent: median(some.map(({ spent }) => spent)),
      ratio: median(some.map(({ spent }, round) => spent / runs[0][round].spent)),
    }));
  };

  const plain = ['replay reading.csv', 'parse reading.log', 'check reading.log', 'stats reading.log'];
  // `check` finds faults in the interleaved log: its exit code is 1.
  const mixed = ['parse interleaved.log', 'check --max 0 interleaved.log || true', 'stats interleaved.log'];
  const structured = new Map(
    ['records', 'ecs', 'otel'].map((form) => [`\`parse --as ${form}\``, `${command} parse --as ${form} part.log`]),
  );
  structured.set('`jq -c .` of the records', has('jq') ? 'jq -c . part.ndjson' : undefined);
  structured.set('Python: `re` and `json.dumps`', has('python3') ? `python3 ${RECORDS_PY} < part.log` : undefined);

  const formatReading = (shells, name) => {
    const megabytes = megabytesOf(name);
    return ({ seconds, spent, ratio }, index) => {
      const call = shells[index].replace(/ \|\| true| --max 0/g, '');
      return `| \`${call}\` | ${seconds.toFixed(2)} | ${Math.round(megabytes / seconds)} | ${spent.toFixed(2)} | ${ratio.toFixed(2)} |`;
    };
  };
  const call = (shell) => `${command} ${shell}`;
  const present = [...structured].filter(([, shell]) => shell !== undefined);
  const missing = [...structured].filter(([, shell]) => shell === undefined).map(([name]) => name);
  const records = (rows / RECORDS_SHARE) * GROUP_RECORDS;
  return [
    `medians of ${rounds} rounds, output to \`/dev/null\`. Processor time is user and system; a ratio is that of the processor times in one round.`,
    '',
    `| ${rows} contiguous groups, ${Math.round(megabytesOf('reading.log'))} MB | s | MB/s | processor time, s | of \`replay\` |`,
    '|---|---|---|---|---|',
    ...medians(plain.map(call)).map(formatReading(plain, 'reading.log')),
    '',
    `| ${interleaved} groups of 16 clients, ${Math.round(megabytesOf('interleaved.log'))} MB | s | MB/s | processor time, s | of \`parse\` |`,
    '|---|---|---|---|---|',
    ...medians(mixed.map(call)).map(formatReading(mixed, 'interleaved.log')),
    '',
    `| ${records} records of whole groups | s | records/s | processor time, s | of \`records\` |`,
    '|---|---|---|---|---|',
    ...medians(present.map(([, shell]) => shell)).map(
      ({ seconds, spent, ratio }, index) =>
        `| ${present[index][0]} | ${seconds.toFixed(2)} | ${Math.round(records / seconds)} | ${spent.toFixed(2)} | ${ratio.toFixed(2)} |`,
    ),
    ...missing.map((name) => `| ${name} | skipped: not installed | | | |`),
  ];
}
