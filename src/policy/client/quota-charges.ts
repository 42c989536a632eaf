import type { AttributeBag } from './attribute-bag.js';
import type { QuotaCharge } from './compile-quota-specs.js';
import type { QuotaAnswer, QuotaCache, QuotaQuestion, QuotaReply } from './quota-cache.js';

/** Amounts by quota name. */
export type QuotaDemands = ReadonlyMap<string, number>;

/** One amount per quota, for a Check call names each quota once: charges of the same one add up, those of 0 are none. */
export function addUpCharges(charges: readonly QuotaCharge[]): QuotaDemands {
  const amounts = new Map<string, number>();
  for (const { quota, charge } of charges) {
    if (charge > 0) amounts.set(quota, (amounts.get(quota) ?? 0) + charge);
  }
  return amounts;
}

/** The quotas of one request, charged as far as the client can by itself. */
export interface ChargedQuotas {
  /** Whether it is known without the server if they let the request pass. */
  readonly isDecided: boolean;
  /** What the server is to be asked, by quota: for this request, or for those to come. */
  readonly questions: ReadonlyMap<string, QuotaQuestion>;
  /** Takes the server's reply to each question. Call it once, whatever becomes of the call. */
  answer(replyFor: (quota: string) => QuotaReply): void;
  /** Names of quotas that refuse, in the order of the demands. */
  refused(): readonly string[];
  /** The longest that a quota which refuses wants a caller to wait; undefined when none knows. */
  retryAfterMs(): number | undefined;
  /** Puts back what was taken, for a request that does not pass. */
  giveBack(): void;
}

/**
 * Charges all quotas. When the client itself knows one that refuses, the server is not asked to charge the others: the
 * request will not pass.
 */
export function chargeQuotas(cache: QuotaCache, demands: QuotaDemands, bag: AttributeBag): ChargedQuotas {
  const questions = new Map<string, QuotaQuestion>();
  const answers = new Map<string, QuotaAnswer>();
  let isUnknown = false;
  for (const [quota, amount] of demands) {
    const charge = cache.charge(quota, amount, bag);
    switch (charge.type) {
      case 'granted':
        answers.set(quota, charge);
        if (charge.prefetch !== undefined) questions.set(quota, charge.prefetch);
        break;
      case 'refused':
        answers.set(quota, charge);
        break;
      case 'unknown':
        isUnknown = true;
        questions.set(quota, charge.question);
        break;
    }
  }
  const isRefused = [...answers.values()].some(({ type }) => type === 'refused');
  for (const [quota, { bestEffort }] of isRefused ? questions : []) {
    if (!bestEffort) questions.delete(quota);
  }
  return {
    isDecided: isRefused || !isUnknown,
    questions,
    answer: (replyFor) => {
      for (const [quota, question] of questions) answers.set(quota, question.answer(replyFor(quota)));
    },
    refused: () => [...demands.keys()].filter((quota) => answers.get(quota)?.type === 'refused'),
    retryAfterMs: () => {
      const waits = [...answers.values()].flatMap((answer) =>
        answer.type === 'refused' && answer.retryAfterMs !== undefined ? [answer.retryAfterMs] : [],
      );
      return waits.length === 0 ? undefined : Math.max(...waits);
    },
    giveBack: () => {
      for (const answer of answers.values()) {
        if (answer.type === 'granted') answer.giveBack?.();
      }
      answers.clear();
    },
  };
}
