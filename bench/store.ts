// The store against the same statements without it, and peek with and without a long history.
import { report } from './harness.ts';
import { appendBatched, appendOnePerTransaction } from './store/append.ts';
import { peekAmongMany } from './store/peek.ts';
import { handlerRunTransitions } from './store/transitions.ts';

report('store', [
  appendOnePerTransaction(),
  appendBatched(),
  handlerRunTransitions(),
  peekAmongMany(),
]);
