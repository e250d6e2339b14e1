#!/usr/bin/env node
const { surviveHangup } = require('../dist/cli/signals.cjs');

// First, because loading the rest takes a while, during which SIGHUP would end a run with -o.
surviveHangup();
void require('../dist/cli/main.cjs').main();
