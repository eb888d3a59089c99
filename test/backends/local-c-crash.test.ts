import { crashContract } from './crash-contract.ts';

crashContract('c');
