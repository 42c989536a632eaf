import type { AttributeBag } from './attribute-bag.js';
import type { QuotaCharge } from './compile-quota-specs.js';
import type { QuotaParams } from './policy-transport.js';
import type { ChargeOutcome, QuotaAnswer, QuotaCache, QuotaQuestion, QuotaReply } from './quota-cache.js';

const NONE: readonly QuotaCharge[] = [];

/**
 * One charge for each quota, because a Check call names each quota once. Charges of one quota add up. Charges of 0 are
 * dropped. The sum is told if one of them is, and given back for the codes that all of them name.
 */
export function addUpCharges(charges: readonly QuotaCharge[]): readonly QuotaCharge[] {
  const [first] = charges;
  if (first === undefined) return NONE;
  if (charges.length === 1) return first.charge > 0 ? charges : NONE;
  const sums = new Map<string, QuotaCharge>();
  for (const each of charges) {
    if (each.charge <= 0) continue;
    const known = sums.get(each.quota);
    sums.set(each.quota, known === undefined ? each : addCharges(known, each));
  }
  return [...sums.values()];
}

function addCharges(one: QuotaCharge, other: QuotaCharge): QuotaCharge {
  const codes = other.refundCodes?.split(' ') ?? [];
  const refundCodes = one.refundCodes?.split(' ').filter((code) => codes.includes(code)) ?? [];
  return {
    quota: one.quota,
    charge: one.charge + other.charge,
    ...((one.isTold || other.isTold) && { isTold: true }),
    ...(refundCodes.length > 0 && { refundCodes: refundCodes.join(' ') }),
  };
}

/** The state of one quota that a request charges, and the question to the server. */
interface QuotaState {
  readonly quota: string;
  answer: QuotaAnswer | undefined;
  question: QuotaQuestion | undefined;
}

/** The quotas of one request, charged from the cache where possible. */
export class ChargedQuotas {
  /** Whether the quotas are decided without the server. */
  readonly isDecided: boolean;
  /** In the order of the demands. */
  readonly #states: readonly QuotaState[];

  /**
   * Charges all quotas. When one of them refuses from the cache, the server does not charge the others: the request
   * will not pass.
   */
  constructor(cache: QuotaCache, demands: readonly QuotaCharge[], bag: AttributeBag) {
    this.#states = demands.map(({ quota, charge }) => stateOf(quota, cache.charge(quota, charge, bag)));
    const { isRefused } = this;
    this.isDecided = isRefused || this.#states.every(({ answer }) => answer !== undefined);
    for (const state of isRefused ? this.#states : []) {
      if (state.question?.bestEffort === false) state.question = undefined;
    }
  }

  /** Whether questions to the server are open, for this request or for later ones. */
  get hasQuestions(): boolean {
    return this.#states.some(({ question }) => question !== undefined);
  }

  /** Whether a question also asks for units of later requests. */
  get asksAhead(): boolean {
    return this.#states.some(({ question }) => question?.bestEffort);
  }

  /** The questions to the server, by quota. */
  questions(): ReadonlyMap<string, QuotaParams> {
    const params = new Map<string, QuotaParams>();
    for (const { quota, question } of this.#states) {
      if (question !== undefined) params.set(quota, { amount: question.amount, bestEffort: question.bestEffort });
    }
    return params;
  }

  /** Takes the reply to each question. Call it once, also after a failed call. */
  answer(replyFor: (quota: string) => QuotaReply): void {
    for (const state of this.#states) {
      if (state.question !== undefined) state.answer = state.question.answer(replyFor(state.quota));
    }
  }

  /** Ends open questions after an internal failure. Safe after `answer` too. */
  abandon(): void {
    for (const state of this.#states) {
      try {
        if (state.answer === undefined) state.question?.answer('unreachable');
      } catch {
        // The other questions still have to end.
      }
    }
  }

  /** Whether a quota refuses. */
  get isRefused(): boolean {
    return this.#states.some(({ answer }) => answer?.type === 'refused');
  }

  /** Names of quotas that are exhausted, in the order of the demands. */
  exhausted(): readonly string[] {
    return this.#states.flatMap(({ quota, answer }) =>
      answer?.type === 'refused' && !answer.isUncounted ? [quota] : [],
    );
  }

  /** Names of quotas that FAIL_CLOSE refuses because they could not be counted, in the order of the demands. */
  uncounted(): readonly string[] {
    return this.#states.flatMap(({ quota, answer }) =>
      answer?.type === 'refused' && answer.isUncounted ? [quota] : [],
    );
  }

  /** The longest wait of a refusing quota, in milliseconds; undefined when none is known. */
  retryAfterMs(): number | undefined {
    const waits = this.#states.flatMap(({ answer }) =>
      answer?.type === 'refused' && answer.retryAfterMs !== undefined ? [answer.retryAfterMs] : [],
    );
    return waits.length === 0 ? undefined : Math.max(...waits);
  }

  /** Releases the units of a request that does not pass. */
  release(): void {
    for (const state of this.#states) {
      if (state.answer?.type === 'granted') state.answer.release?.();
      state.answer = undefined;
    }
  }
}

function stateOf(quota: string, outcome: ChargeOutcome): QuotaState {
  switch (outcome.type) {
    case 'unknown':
      return { quota, answer: undefined, question: outcome.question };
    case 'refused':
      return { quota, answer: outcome, question: undefined };
    case 'granted':
      return { quota, answer: outcome, question: outcome.prefetch };
  }
}
