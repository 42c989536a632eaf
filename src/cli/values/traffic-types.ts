import type { WrittenFile } from '../../capture/write-files.js';
import {
  type AddressRange,
  parseAddressRanges,
  parseAddressSelection,
  parsePortSelection,
  parsePorts,
  type Selection,
  TrafficSyntaxError,
} from '../../config/injection/captured-traffic.js';
import { scalarType, type ValueType } from './parsed.js';

export const portSelection: ValueType<Selection<number>> = typeOf(parsePortSelection, '* or ports separated by commas');
export const ports: ValueType<readonly number[]> = typeOf(parsePorts, 'ports separated by commas');
export const addressSelection: ValueType<Selection<AddressRange>> = typeOf(
  parseAddressSelection,
  '* or address ranges separated by commas, such as 10.0.0.0/8,fd00::/8',
);
export const addressRanges: ValueType<readonly AddressRange[]> = typeOf(
  parseAddressRanges,
  'address ranges separated by commas, such as 10.0.0.0/8,fd00::/8',
);

/** `path=content`, once for each file. A comma belongs to the content. */
export const writtenFiles: ValueType<readonly WrittenFile[]> = {
  name: 'stringArray',
  parse: (occurrences) => {
    const given = occurrences.filter((text) => text !== '');
    const files = given.map((text) => ({
      path: text.split('=', 1)[0] ?? '',
      content: text.slice(text.indexOf('=') + 1),
    }));
    return given.every((text) => /^\/[^=]*=/.test(text))
      ? { ok: true, value: files }
      : { ok: false, allowed: 'path=content, with an absolute path' };
  },
};

function typeOf<Value>(parse: (text: string) => Value, allowed: string): ValueType<Value> {
  return scalarType('string', (text) => {
    try {
      return { ok: true, value: parse(text) };
    } catch (error) {
      if (error instanceof TrafficSyntaxError) return { ok: false, allowed };
      throw error;
    }
  });
}
