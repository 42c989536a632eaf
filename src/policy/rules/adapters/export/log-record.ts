import type { OtlpLogRecord } from '../../../../otlp/otlp-records.js';
import type { Instance } from '../../instance.js';
import { valueText } from '../../value-text.js';
import { otlpAttributes, otlpValue, textValue, unixNanos } from './otlp-value.js';

/** Numbers of severities. */
const SEVERITIES: Readonly<Record<string, number>> = {
  trace: 1,
  debug: 5,
  info: 9,
  default: 9,
  notice: 10,
  warn: 13,
  warning: 13,
  err: 17,
  error: 17,
  critical: 21,
  alert: 22,
  emergency: 23,
  fatal: 24,
};
const INFO = 9;

/** The variable that becomes the body. */
const MESSAGE = 'message';

/** The record of a log entry. Without a variable `message`, its body names the instance. */
export function logRecord({ fullName, values, maps }: Instance, now: Date): OtlpLogRecord {
  const [namespace, name] = fullName.split('/');
  const nowNanos = `${now.getTime()}000000`;
  const severityText = valueText(values.get('severity'));
  const variables = new Map(maps.get('variables'));
  const message = variables.get(MESSAGE);
  variables.delete(MESSAGE);
  return {
    timeUnixNano: unixNanos(values.get('timestamp')) ?? nowNanos,
    observedTimeUnixNano: nowNanos,
    severityNumber: SEVERITIES[severityText.toLowerCase()] ?? INFO,
    severityText,
    body: message === undefined ? textValue(`${name}.instance.${namespace}`) : otlpValue(message),
    attributes: otlpAttributes(variables),
  };
}
