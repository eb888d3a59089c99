// Uses ../postgres.ts: the test command starts a server for this file.
import { storeContract } from './contract.ts';
import { postgres } from './kinds.ts';

storeContract(postgres);
