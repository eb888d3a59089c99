// The files of a dataset, with a look into texts and images.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { api, fileUrl, type Item, type Output } from '../base/api.ts';
import { bytesText } from '../base/format.ts';
import { useResource } from '../base/resource.ts';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { PagedList } from '../parts/paged-list.ts';
import { Loading, PagedTable } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import type { Column } from '../parts/table.tsx';

type File = Item<'listFiles'>;

const previewBytes = 64 * 1024;
const images = /\.(png|jpe?g|gif|webp)$/i;

export function DatasetFiles({ dataset }: { readonly dataset: Output<'getDataset'> }) {
  const { dataset: signature, state } = dataset;
  const isStored = state === 'STORED' || state === 'LEAF';
  const list = useMemo(
    () =>
      new PagedList<File>(
        (cursor) => api.listFiles({ dataset: signature, limit: 200, ...(cursor ? { cursor } : {}) }),
        (file) => file.path,
      ),
    [signature],
  );
  const chosen = useSignal<string | undefined>(undefined);
  const rows = list.items.value;
  useEffect(() => {
    // The first file is what most people want to see.
    chosen.value ??= rows.find((file) => file.kind === 'file')?.path;
  }, [rows, chosen]);
  if (!isStored)
    return (
      <EmptyState title="Its files are not here">
        <p>
          {state === 'DELETED' ? 'They were deleted. Restore computes them again.' : 'They are being made.'}
        </p>
        {dataset.value === null ? null : <pre class="block">{JSON.stringify(dataset.value, null, 2)}</pre>}
      </EmptyState>
    );
  const file = rows.find((one) => one.path === chosen.value);
  return (
    <div class="files">
      <PagedTable
        label="Files"
        short={rows.length <= 12}
        list={list}
        columns={columns(signature)}
        keyOf={(one) => one.path}
        onOpen={(one) => (chosen.value = one.path)}
        chosen={chosen.value}
        empty={<EmptyState title="No files">The action wrote none.</EmptyState>}
      />
      {file?.kind === 'file' ? <Preview key={file.path} dataset={signature} file={file} /> : null}
    </div>
  );
}

function columns(dataset: string): Column<File>[] {
  return [
    {
      head: 'File',
      cell: (file) => (
        <>
          <Icon name={file.kind === 'directory' ? 'folder' : 'file'} size={16} /> {file.path}
          {file.target ? <span class="quiet"> → {file.target}</span> : null}
        </>
      ),
    },
    {
      head: 'Size',
      kind: 'number',
      cell: (file) => (file.kind === 'file' ? bytesText(file.sizeBytes) : null),
    },
    {
      head: 'Get',
      width: '1%',
      cell: (file) =>
        file.kind === 'file' ? (
          <a
            href={fileUrl(dataset, file.path)}
            download={file.path.slice(file.path.lastIndexOf('/') + 1)}
            aria-label={`Download ${file.path}`}
          >
            <Icon name="download" size={16} />
          </a>
        ) : null,
    },
  ];
}

function Preview({ dataset, file }: { readonly dataset: string; readonly file: File }) {
  return (
    <section class="card preview" aria-label={`Preview of ${file.path}`}>
      <h2 class="clip">{file.path}</h2>
      {images.test(file.path) ? (
        <img src={fileUrl(dataset, file.path)} alt={`Contents of ${file.path}`} />
      ) : (
        <TextPreview dataset={dataset} file={file} />
      )}
    </section>
  );
}

function TextPreview({ dataset, file }: { readonly dataset: string; readonly file: File }) {
  const text = useResource(`${dataset} ${file.path}`, async () => {
    if ((file.sizeBytes ?? 0) === 0) return { text: '', binary: false };
    const response = await fetch(fileUrl(dataset, file.path), {
      headers: { range: `bytes=0-${previewBytes - 1}` },
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { text: new TextDecoder().decode(bytes), binary: bytes.subarray(0, 8000).includes(0) };
  });
  const known = text.value.value;
  if (text.problem.value) return <ProblemNote error={text.problem.value} />;
  if (!known) return <Loading />;
  if (known.binary) return <p class="quiet">These bytes are no text. Download the file to use it.</p>;
  if (known.text === '') return <p class="quiet">The file is empty.</p>;
  return (
    <>
      <pre class="block" tabIndex={0}>
        {known.text}
      </pre>
      {(file.sizeBytes ?? 0) > previewBytes ? (
        <p class="quiet">
          The first {bytesText(previewBytes)} of {bytesText(file.sizeBytes)}.
        </p>
      ) : null}
    </>
  );
}
