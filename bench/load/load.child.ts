/** The process of the load generator. */
import { burst, type Burnt } from './burst.js';
import { answerRequests } from '../processes/child.js';
import type { LoadRequest } from './load.js';
import { paced, type Seen } from './paced.js';

answerRequests<LoadRequest, Burnt | Seen>(async (request) =>
  'burst' in request ? burst(request.burst) : paced(request.paced),
);
