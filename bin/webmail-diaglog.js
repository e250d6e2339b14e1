#!/usr/bin/env node
import { surviveHangup } from '../dist/cli/signals.js';

// Before the rest is loaded, which takes a while: until then SIGHUP ends a run with -o.
surviveHangup();
const { main } = await import('../dist/cli/main.js');
await main();
