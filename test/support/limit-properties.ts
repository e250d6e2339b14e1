import fc from 'fast-check';

// Stops a property, its shrinking above all, before the test times out: a loop without a pause would never let the timeout come.
fc.configureGlobal({ ...fc.readConfigureGlobal(), interruptAfterTimeLimit: 50_000 });
