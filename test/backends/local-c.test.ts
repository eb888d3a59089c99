import { backendContract } from './contract.ts';
import { LocalWorld } from './local-world.ts';
import { processContract } from './process-contract.ts';

backendContract('the local back-end with its launcher in c', async () => new LocalWorld('c'));
processContract('c');
