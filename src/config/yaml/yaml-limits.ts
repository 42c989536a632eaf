/** Deepest nesting that is read; the deepest known kind needs about a dozen levels. */
export const MAX_YAML_DEPTH = 64;

/** Longest document in characters (32 Mi); an API server takes 1.5 MiB, a List of everything is longer. */
export const MAX_YAML_CHARACTERS = 32 * 1024 * 1024;
