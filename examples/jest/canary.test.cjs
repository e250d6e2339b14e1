const { spawn } = require('node:child_process');
const { mkdtempSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { expect, test } = require('@jest/globals');
const { canary } = require('webmail-diaglog');

test('for ten seconds, every record arrives unchanged, once, in order and within five seconds', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'canary-'));
  const log = join(folder, 'app.log');
  writeFileSync(log, '');
  // The pipeline under test.
  const pipeline = spawn('tail', ['-n', '+1', '-f', log], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { findings, snapshot } = canary({ log, received: [pipeline.stdout], rate: 20, duration: 10_000, late: 5000, max: 5 });
  const found = [];
  for await (const batch of findings) found.push(...batch.map(({ kind, text }) => `${kind}: ${text}`));
  pipeline.kill();
  rmSync(folder, { recursive: true });
  expect(found).toEqual([]);
  expect(snapshot()).toMatchObject({ sent: 1600, delivered: 1600 });
}, 30_000);
