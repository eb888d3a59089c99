import { storeContract } from './contract.ts';
import { sqliteMemory } from './kinds.ts';

storeContract(sqliteMemory);
