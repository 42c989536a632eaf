import { errorText } from '../../base/error-text.js';
import { HttpProblem } from '../http-problem.js';
import type { Instances, SilentInstance } from '../instances.js';
import type { PageChange } from '../page.js';
import type { Views } from '../views.js';
import { OWN_SERVER } from './shared-quotas.js';

/** What became of a reset. A server that does not list the counter counts as neither. */
interface Outcome {
  readonly reset: number;
  readonly failed: readonly SilentInstance[];
}

const PATH = '/debug/quotas';

/**
 * Sets a counter to zero at all servers that list it: this one, the other instances, and their policy servers. Only
 * callers that may see the page reach it, and no page of another origin; instances and policy servers take it from the
 * control plane only.
 */
export const RESET_QUOTA: PageChange = {
  methods: ['POST'],
  handle: async (views, { body }) => {
    const outcomes = await Promise.all([
      resetHere(views, body),
      resetAt(views.instances, body),
      resetAt(views.policyServers, body),
    ]);
    const failed = outcomes.flatMap((each) => each.failed);
    const reset = outcomes.reduce((sum, each) => sum + each.reset, 0);
    if (failed.length > 0) {
      const servers = failed.map(({ name, reason }) => `${name}: ${reason}`).join('\n');
      const done = reset === 0 ? 'The counter is not reset.' : 'The counter is reset, but not at all servers.';
      throw new HttpProblem(503, `${done} Try again later, or at the servers themselves.\n${servers}`);
    }
    if (reset > 0) return { type: 'redirect', location: PATH };
    throw new HttpProblem(
      404,
      `The counter is not listed any more: it counts nothing, or others count more. See ${PATH}.`,
    );
  },
};

async function resetHere({ quotas }: Views, body: string): Promise<Outcome> {
  const counter = new URLSearchParams(body).get('counter') ?? '';
  const slash = counter.indexOf('/');
  try {
    const isReset = await quotas?.()?.reset(counter.slice(slash + 1), counter.slice(0, slash));
    return { reset: isReset === true ? 1 : 0, failed: [] };
  } catch (error) {
    return { reset: 0, failed: [{ name: OWN_SERVER, reason: errorText(error) }] };
  }
}

async function resetAt(servers: Instances | undefined, body: string): Promise<Outcome> {
  if (servers === undefined) return { reset: 0, failed: [] };
  const { answers, silent } = await servers.ask({ path: PATH, form: 'change', body });
  const refused = answers.filter(({ status }) => status >= 400 && status !== 404);
  return {
    reset: answers.filter(({ status }) => status < 400).length,
    failed: [...silent, ...refused.map(({ name, content }) => ({ name, reason: content }))],
  };
}
