import type { ObjectKey } from '../../config/object.js';
import { MESSAGE_CODES, type MessageLevel, type MessageName } from './message-codes.js';

/** One finding of analysis about one object. */
export interface AnalysisMessage {
  /** `MESHnnnn`, of the table in message-codes.ts. */
  readonly code: string;
  readonly level: MessageLevel;
  /** The object that the message describes; absent if the message describes no object. */
  readonly object?: ObjectKey;
  /** Path in the object, for example `spec.services[0]`; absent if the message describes the whole object. */
  readonly field?: string;
  /** The finding and its remedy. */
  readonly message: string;
  /**
   * Present if the message holds whatever else the mesh has, although its code `needs` more (`MessageCode.needs`).
   */
  readonly isCertain?: true;
}

/**
 * @param text the finding without its remedy
 * @param ownRemedy of this finding; default: that of the table of codes
 */
export function createMessage(
  name: MessageName,
  where: Pick<AnalysisMessage, 'object' | 'field'>,
  text: string,
  ownRemedy?: string,
): AnalysisMessage {
  const { code, level, remedy } = MESSAGE_CODES[name];
  return { code, level, ...where, message: `${text}; ${ownRemedy ?? remedy}` };
}

/** Sorts messages by object, field, code and text. */
export function sortMessages(messages: readonly AnalysisMessage[]): readonly AnalysisMessage[] {
  const keyed = messages.map((message) => [identityOf(message), message] as const);
  return keyed.sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, message]) => message);
}

/** A key that equal messages share. */
export function identityOf({ object = '', field = '', code, message }: AnalysisMessage): string {
  return [object, field, code, message].join('\0');
}

/**
 * Names of settings in messages, and the names that users of `manifests/` know: they have ConfigMaps and a Deployment
 * instead of files and a command line. Only the first occurrence in a message is replaced.
 */
const IN_POD: readonly (readonly [general: RegExp, inPod: string])[] = [
  [/the file of --policyConfig/, 'the ConfigMap mesh-policy'],
  [/the mesh config/, 'the mesh config (ConfigMap mesh)'],
  [/--plugins/, 'the argument --plugins of the Deployment meshd'],
  [/NAV_[A-Z_]+/, '$& of the Deployment meshd'],
];

/** The same message for a control plane that runs as a pod of `manifests/`. */
export function inPod(message: AnalysisMessage): AnalysisMessage {
  const text = IN_POD.reduce((so, [general, place]) => so.replace(general, place), message.message);
  return text === message.message ? message : { ...message, message: text };
}
