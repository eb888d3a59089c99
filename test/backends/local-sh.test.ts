import { backendContract } from './contract.ts';
import { LocalWorld } from './local-world.ts';
import { processContract } from './process-contract.ts';

backendContract('the local back-end with its launcher in sh', async () => new LocalWorld('sh'));
processContract('sh');
