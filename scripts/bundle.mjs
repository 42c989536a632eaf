// Bundles the programs of build/src/cli into build/programs: a few files, so a start does not load 900 modules. Code
// behind `import()` goes to separate files, which are read when needed.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Packages that are rarely loaded and that read files of their own folders. They are loaded from node_modules. */
const EXTERNAL = ['@grpc/reflection', '@grpc/grpc-js-xds', 'grpc-health-check/package.json'];

/** Packages in CommonJS ask for these, which modules do not have. */
const BANNER = [
  "import { createRequire as requireOfBundle } from 'node:module';",
  'const require = requireOfBundle(import.meta.url), __dirname = import.meta.dirname, __filename = import.meta.filename;',
].join('\n');

/** The module that exports what the project uses of the library for Kubernetes. */
const KUBECONFIG_LIBRARY = 'src/kubernetes/client/kubeconfig-library';

const NODE = { bundle: true, format: 'esm', platform: 'node', target: 'node20.19', banner: { js: BANNER } };

/**
 * Writes what the project uses of the library for Kubernetes over the module that exports it, so that tests, which run
 * on build/src, do not load the rest: that takes half a second of the processor for each test file.
 */
export async function bundleKubeconfigLibrary(root) {
  await build({
    ...NODE,
    absWorkingDir: root,
    entryPoints: [`${KUBECONFIG_LIBRARY}.ts`],
    outfile: `build/${KUBECONFIG_LIBRARY}.js`,
    keepNames: true,
    plugins: [kubernetesParts],
    logLevel: 'warning',
  });
}

/**
 * Writes build/programs/navigator-discovery.js and navigator-policy.js. Function names are kept, and source maps are
 * written beside the files for `node --enable-source-maps` and --log_caller.
 */
export async function bundlePrograms(root) {
  const outdir = join(root, 'build/programs');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    ...NODE,
    absWorkingDir: root,
    entryPoints: {
      'navigator-discovery': 'build/src/cli/main.js',
      'navigator-policy': 'build/src/cli/policy-main.js',
    },
    outdir,
    splitting: true,
    sourcemap: true,
    sourcesContent: false,
    external: EXTERNAL,
    plugins: [healthProto, kubernetesSource, kubernetesParts, celWhenNeeded],
    logLevel: 'warning',
  });
}

/** grpc-health-check reads its .proto file from its own folder; in the bundle, the path must lead to the package. */
const healthProto = {
  name: 'health-proto',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]grpc-health-check[\\/]build[\\/]src[\\/].*\.js$/ }, ({ path }) => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is text of the package
      const here = '`${__dirname}/../../proto`';
      const text = readFileSync(path, 'utf8');
      if (text.includes('__dirname') && !text.includes(here)) throw new Error(`${path} finds its files in another way`);
      const there = "require('node:path').join(require.resolve('grpc-health-check/package.json'), '../proto')";
      return { contents: text.replaceAll(here, there), loader: 'js' };
    }),
};

/** `require` of a bundled module runs it at its first call, an `import` at the start. */
const celWhenNeeded = {
  name: 'cel-when-needed',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]cel-library\.js$/ }, () => ({
      contents: "export const celLibrary = () => require('@marcbachmann/cel-js');",
      resolveDir: import.meta.dirname,
      loader: 'js',
    })),
};

/** In build/src that module is a bundle already, see bundleKubeconfigLibrary; the programs share its packages. */
const kubernetesSource = {
  name: 'kubernetes-source',
  setup: ({ onResolve, initialOptions: { absWorkingDir } }) =>
    onResolve({ filter: /[\\/]kubeconfig-library\.js$/ }, () => ({
      path: join(absWorkingDir, `${KUBECONFIG_LIBRARY}.ts`),
    })),
};

/**
 * The library for Kubernetes has a class for each kind and each API, 70 MiB of them, and does not say that they can be
 * left out. Of all its files, those stay that reading a kubeconfig leads to.
 */
const kubernetesParts = {
  name: 'kubernetes-parts',
  setup: ({ onResolve, resolve }) =>
    onResolve({ filter: /^\.|^@kubernetes\/client-node$/ }, async ({ path, ...from }) => {
      const isEntry = path === '@kubernetes/client-node';
      if (from.pluginData === kubernetesParts) return undefined;
      if (!isEntry && !/[\\/]@kubernetes[\\/]client-node[\\/]/.test(from.importer)) return undefined;
      const { importer, namespace, resolveDir, kind } = from;
      const found = await resolve(path, { importer, namespace, resolveDir, kind, pluginData: kubernetesParts });
      return found.errors.length > 0 ? found : { path: found.path, sideEffects: false };
    }),
};
