import { backendContract } from './contract.ts';
import { LocalWorld } from './local-world.ts';

backendContract('the local back-end with its launcher in sh', async () => new LocalWorld('sh'));
