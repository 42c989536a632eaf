import type { AnswerCheck } from '../answer-checks.js';
import { checkMetadataOf } from '../answer-checks.js';
import type { Caller } from '../callers/caller.js';
import type { CheckCall } from '../check-call.js';
import type { CheckEnvironment } from '../decide.js';
import { decideHttp } from '../decide-http.js';
import { shedVerdict, verdictOf } from '../request-verdict.js';
import { type ShedDecisions, shedMetadataOf } from '../shed-decisions.js';
import { checkAnswer } from './check-answer.js';
import { type CheckHead, MOST_HEADERS, readCheckHead } from './check-head.js';
import { CheckHeadError } from './check-head-error.js';

/** Answers the Checks that Envoy sends over HTTP/1.1. */
export interface HttpCheckService {
  /**
   * @param head of the request, without the empty line at its end
   * @param peer identity or address of the caller, for a fair share of the server
   * @returns the whole answer, one character for each byte
   * @throws CallerRefusedError, CallConfigError, CheckHeadError: see `AnswerCheck`
   */
  check(head: string, caller: Caller, peer: string): string | Promise<string>;
}

export interface HttpCheckServiceOptions {
  readonly environment: CheckEnvironment;
  readonly answerCheck: AnswerCheck;
  readonly shed: ShedDecisions;
}

const NANOSECONDS_PER_MILLISECOND = 1_000_000n;
const NO_HEAD = `this is no request of HTTP/1.1 with at most ${MOST_HEADERS} headers: the caller must be an Envoy that sends Checks over HTTP/1.1`;
/** Envoy ends when such a request gets status 200: its client takes that for the beginning of a tunnel. */
const NO_TUNNELS = 'CONNECT cannot be checked over HTTP/1.1: set policyCheckProtocol: GRPC in the mesh config';

export function createHttpCheckService(options: HttpCheckServiceOptions): HttpCheckService {
  const { environment, answerCheck } = options;
  const { clock } = environment;
  const nowNs = (): bigint => BigInt(clock.now().getTime()) * NANOSECONDS_PER_MILLISECOND;

  const shed = ({ request }: CheckHead, call: CheckCall): string => {
    const decision = options.shed.http(call, request.routeService);
    const { asker, status } = decision;
    const side = asker === 'tcp' ? 'inbound' : asker;
    return checkAnswer(shedVerdict(status, side), shedMetadataOf(decision), request.facts.method);
  };

  const unreadable = (peer: string, why: string): string | Promise<string> => {
    const fail = (): never => {
      throw new CheckHeadError(why);
    };
    return answerCheck({ peer, decide: fail, answer: fail, shed: fail });
  };

  return {
    check: (text, caller, peer) => {
      const head = readCheckHead(text, nowNs);
      if (head === undefined) return unreadable(peer, NO_HEAD);
      const { request, configText, service } = head;
      const { method } = request.facts;
      if (method === 'CONNECT') return unreadable(peer, NO_TUNNELS);
      const call: CheckCall = { caller, peer, configText, service };
      return answerCheck({
        peer,
        decide: () => decideHttp(environment, request, call),
        answer: (decided) => {
          const verdict = verdictOf(decided.decision, decided.context.config.claims.side);
          return checkAnswer(verdict, checkMetadataOf(decided), method);
        },
        shed: () => shed(head, call),
      });
    },
  };
}
