const StrykerEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

/** Tests that take seconds to show that memory and time stay bounded. */
const TOO_LONG = /^goes on in bounded memory and time/;

/** The names of tests that have failed in this process, the latest last: the next mutant mostly falls to one of them. */
const killers = new Set();

/** Stryker's environment; and the likeliest tests come first, and all are skipped after the first that fails: the mutant is dead. */
module.exports = class extends StrykerEnvironment {
  constructor(...args) {
    super(...args);
    const handleInner = this.handleTestEvent;
    let isDead = false;
    this.handleTestEvent = async (event, state) => {
      await handleInner(event, state);
      if (event.name === 'run_start') sortByRank(state.rootDescribeBlock);
      if (event.name === 'test_start' && (isDead || TOO_LONG.test(event.test.name))) event.test.mode = 'skip';
      if (event.name === 'test_fn_failure') {
        isDead = true;
        killers.delete(event.test.name);
        killers.add(event.test.name);
      }
    };
  }
};

/** Sorts a block and the blocks in it, stably. Gives the highest rank in it. */
function sortByRank(block) {
  const order = [...killers];
  const rankOf = (child) => (child.type === 'describeBlock' ? sortByRank(child) : order.indexOf(child.name));
  const ranked = block.children.map((child) => ({ child, rank: rankOf(child) })).sort((one, other) => other.rank - one.rank);
  block.children = ranked.map(({ child }) => child);
  return Math.max(-1, ...ranked.map(({ rank }) => rank));
}
