import { nearestName } from '../../base/nearest-name.js';
import { isRecord } from '../../base/record.js';
import { childPath, type Violation } from '../violation.js';
import { type AccessLogCommand, accessLogCommands } from './access-log-commands.js';

const PATH = 'accessLogFormat';
/** Envoy may reject a message with deeper nesting. */
const MAX_JSON_DEPTH = 16;

/**
 * Finds mistakes that would make Envoy reject every listener with an access log: wrong syntax, unknown commands, and missing
 * arguments. Does not check the content of arguments.
 *
 * @param format a text with `%COMMAND%`s; for JSON a JSON object of such texts; empty for Envoy's default
 */
export function validateAccessLogFormat(format: string, encoding: 'TEXT' | 'JSON'): readonly Violation[] {
  if (format === '') return [];
  const commands = accessLogCommands();
  if (encoding === 'TEXT') return validateText(PATH, format, commands);
  const fields = parseObject(format);
  if (fields !== undefined) return validateFields(fields, commands);
  const remedy = 'write for example \'{"path": "%PATH%"}\', or set accessLogEncoding to TEXT';
  return [{ path: PATH, value: format, message: 'is not a JSON object', remedy }];
}

type Commands = ReadonlyMap<string, AccessLogCommand>;

/** `%NAME(argument):length%`. The argument may contain parentheses and percent signs, but no line break. */
const COMMAND = /%([A-Z0-9_]+)(?:\(([^\n]*?)\))?(?::([0-9]{1,19}))?%/y;

/** Reports only the first mistake, like Envoy. */
function validateText(path: string, format: string, commands: Commands): readonly Violation[] {
  let position = format.indexOf('%');
  while (position >= 0) {
    let next = position + 2;
    if (format[position + 1] !== '%') {
      COMMAND.lastIndex = position;
      const match = COMMAND.exec(format);
      if (match === null) return [notACommand(path, format.slice(position))];
      const [whole, name = '', argument = '', length] = match;
      const problem = problemOf(name, argument !== '', length !== undefined, commands);
      if (problem !== undefined) return [{ path, value: whole, ...problem }];
      next = COMMAND.lastIndex;
    }
    position = format.indexOf('%', next);
  }
  return [];
}

function notACommand(path: string, value: string): Violation {
  return {
    path,
    value,
    message: 'does not start with a command',
    remedy: 'write %NAME%, %NAME(argument)% or %NAME(argument):length%, and %% for a percent sign',
  };
}

function problemOf(
  name: string,
  hasArgument: boolean,
  hasLength: boolean,
  commands: Commands,
): Pick<Violation, 'message' | 'remedy'> | undefined {
  const command = commands.get(name);
  if (command === undefined) {
    const nearest = nearestName(name, commands.keys());
    const remedy = nearest === undefined ? 'use one of the access log commands of Envoy 1.40' : `use ${nearest}`;
    return { message: 'is not a command of Envoy', remedy };
  }
  if (command.argument === 'required' && !hasArgument) {
    return { message: 'lacks an argument', remedy: `write %${name}(argument)%` };
  }
  if (command.argument === 'none' && (hasArgument || hasLength)) {
    return { message: 'takes neither argument nor length', remedy: `write %${name}%` };
  }
  if (!command.length && hasLength) {
    return { message: 'takes no length', remedy: 'remove the colon and the number' };
  }
  return undefined;
}

function parseObject(format: string): object | undefined {
  try {
    const parsed: unknown = JSON.parse(format);
    return isRecord(parsed) ? parsed : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function validateFields(value: object, commands: Commands, path = PATH, depth = 1): readonly Violation[] {
  if (depth > MAX_JSON_DEPTH) {
    return [{ path, message: `is deeper than ${MAX_JSON_DEPTH} levels`, remedy: 'write a flatter object' }];
  }
  return Object.entries(value).flatMap(([key, item]) => {
    const itemPath = childPath(path, Array.isArray(value) ? Number(key) : key);
    if (typeof item === 'string') return validateText(itemPath, item, commands);
    return typeof item === 'object' && item !== null ? validateFields(item, commands, itemPath, depth + 1) : [];
  });
}
