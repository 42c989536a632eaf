import { Command, Option } from 'clipanion';
import { completionTable, SHELLS } from '../completion/completion-table.js';
import { renderBash } from '../completion/render-bash.js';
import { renderFish } from '../completion/render-fish.js';
import { renderZsh } from '../completion/render-zsh.js';
import { parseCommonFlags } from '../parse-options.js';
import type { CommandContext, DiscoveryEnvironment } from '../program.js';
import { commonFlags } from '../settings/common-flags.js';
import { ReportedCommand } from './reported-command.js';

const RENDERERS = { bash: renderBash, zsh: renderZsh, fish: renderFish } as const;

/** `navigator-discovery completion <bash|zsh|fish>` (docs/commands.md). */
export class CompletionCommand extends ReportedCommand<CommandContext<DiscoveryEnvironment>> {
  static override paths = [['completion']];
  static override usage = Command.Usage({
    description:
      'Prints a script that makes a shell complete commands and flags. For bash: source <(navigator-discovery completion bash)',
  });

  readonly operands = Option.Rest();

  protected override async perform(): Promise<void> {
    parseCommonFlags(this.context.flags);
    const shell = SHELLS.find((each) => each === this.operands[0]);
    if (shell === undefined || this.operands.length > 1)
      throw new Error(`completion needs one shell: ${SHELLS.join(', ')}`);
    const { name, commands } = this.context.help;
    this.context.stdout.write(RENDERERS[shell](completionTable(name, commands, Object.values(commonFlags))));
  }
}
