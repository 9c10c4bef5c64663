#!/bin/bash
# Slurm: a sweep in shards, an array task each, and a job that joins them.
#   sbatch --array=1-8 tools/ci/slurm-sweep.sh bench/suites/clouds.yaml shards
#   sbatch --dependency=afterany:JOB --wrap \
#     'overlane merge shards/*.sqlite --store sweep.sqlite && overlane store show latest --store sweep.sqlite'
# Cells that fail are in the store with their reason, so that the tasks count as done.
#SBATCH --job-name=overlane-sweep
#SBATCH --cpus-per-task=2
#SBATCH --time=02:00:00
set -euo pipefail

suite=$1
folder=$2
mkdir -p "$folder"
code=0
overlane sweep "$suite" --quiet --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --jobs "${SLURM_CPUS_PER_TASK:-1}" --store "$folder/$SLURM_ARRAY_TASK_ID.sqlite" \
  -o csv --out "$folder/$SLURM_ARRAY_TASK_ID.csv" || code=$?
((code == 4)) || exit "$code"
