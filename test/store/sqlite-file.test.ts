import { storeContract } from './contract.ts';
import { sqliteFile } from './kinds.ts';

storeContract(sqliteFile);
