import { crashContract } from './crash-contract.ts';

crashContract('sh');
