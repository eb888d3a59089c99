// Lays out graphs beside the page, which stays responsive meanwhile.
import { type LayoutRequest, layOut } from './layout.ts';

const scope = self as unknown as {
  onmessage:
    | ((message: MessageEvent<{ readonly id: number; readonly request: LayoutRequest }>) => void)
    | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
};

scope.onmessage = ({ data: { id, request } }) => {
  const layout = layOut(request);
  scope.postMessage({ id, layout }, [layout.places.buffer]);
};
