import { defineConfig } from 'tsdown';

const shared = { platform: 'node', target: 'node20', sourcemap: true, fixedExtension: false } as const;
export default defineConfig([
  { ...shared, entry: { main: 'src/cli/main.ts', signals: 'src/cli/signals.ts' }, outDir: 'dist/cli', format: ['esm'], dts: false, deps: { alwaysBundle: [/./] },
    outputOptions: { codeSplitting: { groups: [
      { name: 'start', test: /src\/(cli\/(main|signals|exit|version|messages|watch-npx)|errors|wording|lines)/ , priority: 5},
      { name: 'commander', test: /node_modules\/commander/, priority: 4 },
      { name: 'core', test: /luxon|src\/(log|input|output|requests\/[^/]*\.ts)|src\/cli\/(options|with)/, priority: 3 },
    ] } } },
]);
