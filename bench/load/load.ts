/** The load generator: a process of its own, the same for the reference and for the server. */
import type { Burnt, Burst } from './burst.js';
import { startChild, type Child } from '../processes/child.js';
import type { Paced, Seen } from './paced.js';

export type Load = {
  burst(request: Burst): Promise<Burnt>;
  paced(request: Paced): Promise<Seen>;
  stop(): Promise<void>;
};

export type LoadRequest = { burst: Burst } | { paced: Paced };

export function startLoad(): Load {
  const child: Child<LoadRequest, unknown> = startChild('load/load.child.js', 'load');
  return {
    burst: (request) => child.ask({ burst: request }) as Promise<Burnt>,
    paced: (request) => child.ask({ paced: request }) as Promise<Seen>,
    stop: child.stop,
  };
}
