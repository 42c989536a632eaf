import { join } from 'node:path';
import test from 'ava';
import { runCommand } from './command.js';
import { findEnvoy } from './find-envoy.js';
import { projectRoot } from './project-root.js';

const envoy = findEnvoy();
const testWithEnvoy = 'value' in envoy ? test : test.skip;

testWithEnvoy('Envoy accepts the bootstrap of the samples', async (t) => {
  const bootstrap = join(projectRoot(), 'samples/envoy-bootstrap.yaml');
  const binary = 'value' in envoy ? envoy.value : '';
  t.regex(await runCommand([binary, '--mode', 'validate', '-c', bootstrap]), /envoy-bootstrap\.yaml' OK/);
});
