import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { LimitedLog } from '../../telemetry/limited-log.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { CompiledInstance } from './compile-instance.js';
import type { Instance } from './instance.js';

/** Makes the instances of one request, each once. */
export class InstanceBuilder {
  readonly #attributes: AttributeBag;
  readonly #meter: MatchMeter;
  readonly #limitedLog: LimitedLog;
  readonly #made = new Map<CompiledInstance, Instance | undefined>();

  constructor(attributes: AttributeBag, meter: MatchMeter, limitedLog: LimitedLog) {
    this.#attributes = attributes;
    this.#meter = meter;
    this.#limitedLog = limitedLog;
  }

  /** Instances that were made. */
  get built(): number {
    return this.#made.size;
  }

  /** Undefined if the request lacks a value that an expression needs. */
  build(compiled: CompiledInstance): Instance | undefined {
    if (this.#made.has(compiled)) return this.#made.get(compiled);
    const result = compiled.build(this.#attributes, this.#meter);
    const instance = typeof result === 'string' ? undefined : result;
    if (typeof result === 'string') {
      this.#limitedLog.warn({ instance: compiled.key, problem: result }, 'instance not made of a request');
    }
    this.#made.set(compiled, instance);
    return instance;
  }
}
