import type { CompletedFlag, CompletionTable } from './completion-table.js';

/** A script for a file named `_navigator-discovery` in a folder of `$fpath`, or for `source`. */
export function renderZsh({ binary, commands }: CompletionTable): string {
  const functionName = `_${binary.replaceAll('-', '_')}`;
  const names = commands.map(({ name, purpose }) => `    ${quoted(`${name}:${escapedColon(purpose)}`)}`);
  const cases = commands.map(({ name, flags, words, takesFiles }) => {
    const operands = takesFiles ? ["'*:file:_files'"] : words.length > 0 ? [`'1:word:(${words.join(' ')})'`] : [];
    return `    ${name}) _arguments ${[...flags.flatMap(specs), ...operands].join(' ')} ;;`;
  });
  return `#compdef ${binary}
# Completion of ${binary} for zsh: source <(${binary} completion zsh)
${functionName}() {
  local -a commands=(
${names.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef ${functionName} ${binary}
`;
}

function specs({ name, shorthand, meaning, takesValue }: CompletedFlag): readonly string[] {
  const text = `[${meaning.replaceAll(/[[\]]/g, '\\$&')}]`;
  const value = takesValue ? `:value:_files` : '';
  return [`--${name}`, ...(shorthand === undefined ? [] : [`-${shorthand}`])].map((flag) =>
    quoted(`${flag}${text}${value}`),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function escapedColon(text: string): string {
  return text.replaceAll(':', '\\:');
}
