import type { AttributeBag } from '../../policy/client/attribute-bag.js';
import type { HandlerChain } from '../../policy/handlers/handler-chain.js';
import type { Logger } from '../../telemetry/logger.js';

/** Attributes that one line names. */
const MAX_NAMES = 100;
/** Characters of one value. */
const MAX_TEXT = 200;
/** The attributes whose values a line has. The values of others can contain credentials, such as headers and claims. */
const SHOWN = [
  'context.protocol',
  'context.reporter.kind',
  'destination.service.host',
  'source.namespace',
  'source.principal',
  'request.method',
  'api.operation',
  'response.code',
] as const;

/** The same chain; at `debug` each check, answer and report has a line with the attributes of its request or connection. */
export function withAttributeLog(chain: HandlerChain, logger: Logger): HandlerChain {
  const log = (attributes: AttributeBag, message: string): void => {
    if (logger.isDebugEnabled()) logger.debug(fieldsOf(attributes), message);
  };
  return {
    ...chain,
    check: (check) => {
      log(check.attributes, 'attributes of a check');
      return chain.check(check);
    },
    answer: (request, options) => {
      log(request.attributes, 'attributes of a check of another policy server');
      return chain.answer(request, options);
    },
    report: (report) => {
      log(report.attributes, 'attributes of a report');
      chain.report(report);
    },
  };
}

function fieldsOf(attributes: AttributeBag): { readonly values: object; readonly names: readonly string[] } {
  const values: Record<string, string> = {};
  for (const name of SHOWN) {
    const value = attributes.get(name);
    if (value?.type === 'string') values[name] = value.value.slice(0, MAX_TEXT);
    if (value?.type === 'int64') values[name] = String(value.value);
  }
  const names: string[] = [];
  for (const [name] of attributes.entries()) {
    if (names.length === MAX_NAMES) break;
    names.push(name.slice(0, MAX_TEXT));
  }
  return { values, names: names.sort() };
}
