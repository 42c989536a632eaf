import type { ActionOutput } from '../../../config/policy-rules/action-outputs.js';
import type { AttributeValue } from '../../client/attribute-value.js';

/** The outputs of the handlers of one request. */
export class OutputRecord {
  readonly #byCall = new Map<string, ReadonlyMap<string, AttributeValue>>();

  /** @param handler, instance keys */
  add(handler: string, instance: string, output: ReadonlyMap<string, AttributeValue>): void {
    this.#byCall.set(idOf(handler, instance), output);
  }

  /** The values of outputs, by the names that expressions read. */
  layerOf(outputs: readonly ActionOutput[]): ReadonlyMap<string, AttributeValue> {
    const layer = new Map<string, AttributeValue>();
    for (const { name, handler, instance, field } of outputs) {
      const value = this.#byCall.get(idOf(handler, instance))?.get(field);
      if (value !== undefined && !layer.has(name)) layer.set(name, value);
    }
    return layer;
  }
}

function idOf(handler: string, instance: string): string {
  return `${handler} ${instance}`;
}
