#!/usr/bin/env node
const { surviveHangup } = require('../dist/cli/signals.cjs');

// Before the rest is loaded, which takes a while: until then SIGHUP ends a run with -o.
surviveHangup();
void require('../dist/cli/main.cjs').main();
