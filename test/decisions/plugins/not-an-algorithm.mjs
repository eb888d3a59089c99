export default { name: 'not-an-algorithm', reason: 'it lacks decide' };
