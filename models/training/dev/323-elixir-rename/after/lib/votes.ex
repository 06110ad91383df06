defmodule Votes do
  @moduledoc "Counts ballots by candidate."

  def count(ballots) do
    Enum.reduce(ballots, %{}, fn ballot, totals ->
      if valid?(ballot) do
        Map.update(totals, ballot.candidate, 1, &(&1 + 1))
      else
        totals
      end
    end)
  end

  defp valid?(%{candidate: name}) when is_binary(name), do: true
  defp valid?(_), do: false
end
