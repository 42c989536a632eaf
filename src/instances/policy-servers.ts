import type { Clock } from '../base/clock.js';
import type { Instances, PageQuestion, RenderedPage, SilentInstance } from '../introspection/instances.js';
import type { Greeting, NumberedAnswer, NumberedQuestion } from './policy-server-message.js';

/** A policy server that gets its configuration from this instance. */
export interface ConnectedPolicyServer {
  /** Its node id. */
  readonly id: string;
  /** For people: workload and address. */
  readonly name: string;
}

export interface PolicyServersParts {
  /** The separate policy servers with a discovery stream to this instance, at the time of the call. */
  readonly connected: () => readonly ConnectedPolicyServer[];
  readonly clock: Clock;
}

/** An open call of a policy server. */
export interface JoinedPolicyServer {
  answered(answer: NumberedAnswer): void;
  left(): void;
}

/** Asks the policy servers that have joined. */
export interface PolicyServers extends Instances {
  /** @returns undefined if as many as possible have joined already */
  join(greeting: Greeting, send: (question: NumberedQuestion) => void): JoinedPolicyServer | undefined;
}

/** Policy servers at most that one instance asks. */
export const MAX_POLICY_SERVERS = 32;
/** Questions at most that one policy server has at the same time. */
const MAX_QUESTIONS = 8;
/** A person waits for the page. */
const TIMEOUT_MS = 3_000;

const NOT_JOINED =
  'it does not tell its counters to the control plane: it has no certificate or token of an account in NAV_POLICY_READERS, ' +
  'or is of an older version. See /debug/quotas of its monitoring port (--monitoringAddr, default :15014)';

export function createPolicyServers({ connected, clock }: PolicyServersParts): PolicyServers {
  const joined = new Map<JoinedPolicyServer, { greeting: Greeting; ask: (question: PageQuestion) => Promise<Told> }>();

  return {
    join: (greeting, send) => {
      if (joined.size >= MAX_POLICY_SERVERS) return undefined;
      const open = new Map<number, (told: Told) => void>();
      let last = 0;
      const ask = (question: PageQuestion): Promise<Told> =>
        new Promise((resolve) => {
          if (open.size >= MAX_QUESTIONS) {
            resolve({ reason: `it has ${MAX_QUESTIONS} questions to answer already` });
            return;
          }
          const number = ++last;
          const settle = (told: Told): void => {
            cancel();
            open.delete(number);
            resolve(told);
          };
          const cancel = clock.schedule(TIMEOUT_MS, () => settle({ reason: `no answer within ${TIMEOUT_MS} ms` }));
          open.set(number, settle);
          send({ ...question, number });
        });
      const server: JoinedPolicyServer = {
        answered: ({ number, status, content }) => open.get(number)?.({ status, content }),
        left: () => {
          joined.delete(server);
          for (const settle of [...open.values()]) settle({ reason: 'it has disconnected' });
        },
      };
      joined.set(server, { greeting, ask });
      return server;
    },
    ask: async (question) => {
      const asked = [...joined.values()];
      const ids = new Set(asked.map(({ greeting }) => greeting.id));
      const told = await Promise.all(
        asked.map(async ({ greeting: { name }, ask }) => ({ name, ...(await ask(question)) })),
      );
      const notJoined = connected().filter(({ id }) => !ids.has(id));
      return {
        answers: told.filter((each) => 'content' in each),
        silent: [
          ...told.filter((each) => 'reason' in each),
          ...notJoined.slice(0, MAX_POLICY_SERVERS).map(({ name }) => ({ name, reason: NOT_JOINED })),
        ],
      };
    },
  };
}

type Told = RenderedPage | Pick<SilentInstance, 'reason'>;
