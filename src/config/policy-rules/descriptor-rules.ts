import type { Violation } from '../violation.js';
import { DescriptorError } from './descriptors/descriptor-error.js';

/** The violation of a descriptor that cannot be used. @param read throws DescriptorError for it */
export function* descriptorViolations(
  path: string,
  value: string | undefined,
  read: () => unknown,
): Iterable<Violation> {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DescriptorError)) throw error;
    yield { path, value, message: error.message, remedy: error.remedy };
  }
}
