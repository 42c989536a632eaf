import { createAjvValidators } from '../../src/config/schema/ajv-validators.js';
import { createSchemaCompiler, type SchemaCompiler } from '../../src/config/schema/schema-reader.js';

/** For schemas that the build has not prepared: those of a test, and parts of larger ones. */
export function createTestSchemaCompiler(): SchemaCompiler {
  return createSchemaCompiler(createAjvValidators());
}
