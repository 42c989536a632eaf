import type { MatchMeter } from '../../../config/regex/match-meter.js';
import type { LimitedLog } from '../../../telemetry/limited-log.js';
import type { AttributeBag } from '../../client/attribute-bag.js';
import { checkDecision } from '../decisions.js';
import { changeHeaders, type HeaderRule } from './change-headers.js';
import { OutputRecord } from './output-record.js';

/** The header operations of one request. */
export class HeaderWork {
  readonly #rules: readonly HeaderRule[];
  readonly #attributes: AttributeBag;
  readonly #meter: MatchMeter;
  /** Undefined if no operation is applied. */
  readonly outputs: OutputRecord | undefined;

  /** @param rules that match the request */
  constructor(rules: readonly HeaderRule[], attributes: AttributeBag, meter: MatchMeter) {
    this.#rules = rules;
    this.#attributes = attributes;
    this.#meter = meter;
    this.outputs = rules.length === 0 ? undefined : new OutputRecord();
  }

  /** As `checkDecision`, with the changes of headers. An operation that cannot be applied counts as a failed handler. */
  decideWith(limitedLog: Pick<LimitedLog, 'warn'>): typeof checkDecision {
    const { outputs } = this;
    if (outputs === undefined) return checkDecision;
    return (outcome, work, failPolicy) => {
      const decision = checkDecision(outcome, work, failPolicy);
      if (decision.status.code !== 'OK') return decision;
      const { changes, problems } = changeHeaders(this.#rules, this.#attributes, outputs, this.#meter);
      if (problems.length === 0) return { ...decision, headerChanges: changes };
      for (const each of problems) limitedLog.warn({ ...each }, 'header operation of a rule not applied');
      const failed = checkDecision({ ...outcome, isFailed: true }, work, failPolicy);
      return failed.status.code === 'OK' ? { ...failed, headerChanges: changes } : failed;
    };
  }
}
