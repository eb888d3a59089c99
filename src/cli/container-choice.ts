// `--container` and `--no-container`: the configuration of one command with another container program.
import type { ContainerEngineName } from '../core/container-argv.ts';
import type { CommandContext } from './command.ts';

interface ContainerOptions {
  readonly container?: ContainerEngineName | 'auto' | 'none' | undefined;
  readonly 'no-container': boolean;
}

/** The configuration with the container program that the command line asks for. */
export function withContainer(context: CommandContext, options: ContainerOptions): CommandContext {
  const container = options['no-container'] ? 'none' : options.container;
  if (container === undefined) return context;
  return {
    ...context,
    config: async () => {
      const loaded = await context.config();
      const { config } = loaded;
      return { ...loaded, config: { ...config, execution: { ...config.execution, container } } };
    },
  };
}
